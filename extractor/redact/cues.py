"""The words and turns of phrase around people's names."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a text, which spaces part."""
    return frozenset(text.split())


_LETTER = r"[^\W\d_]"
WORD = re.compile(rf"{_LETTER}(?:\.(?={_LETTER}\.|\s|$)|{_LETTER}*(?:['’-]{_LETTER}+)*)")
PARTICLES = words(
    "al bin bint binti da dal das de del della den der di do dos du el ibn la las le los van vom von y zu zum zur"
)
TITLE_WORDS = words("mr mrs ms miss mx dr prof sir madam mister doctor professor rev")
MOST = 5  # words of one name
AND = re.compile(r" (?:and|&) ")
# After these a name follows, whatever its case; a word that is no name ends the search.
STRONG = re.compile(
    r"\b(?:my (?:full |first |last )?name(?:'s|’s|s| is|:)|i am called|(?:they|people|friends) call me|the name's|name is"
    r"|i go by|(?:husband|wife|son|daughter|brother|sister|mother|father|colleague|friend|boss|manager|neighbou?r)(?: is)? (?:called|named))\s+",
    re.IGNORECASE,
)
# After these a name may follow: it must be a listed one, or two capitalised words that are nothing else.
WEAK = re.compile(
    r"\b(?:i am|i'?m|i’m|this is|it is|it'?s|it’s|thanks|thank you|thx|cheers|hi|hello|hey|dear|called|named|ask|contact|met|meet"
    r"|cc:?|attn\.?:?)[,:]?\s+",
    re.IGNORECASE,
)
PREPOSITION = re.compile(r"\b(?:for|from|by|with)\s+", re.IGNORECASE)  # a place may follow as well
GREETING = re.compile(
    r"(?:^|[\n.!?] ?)[ \t]*(?:dear|hi|hello|hey),?\s+(?P<name>[^\W\d_]{3,20})(?=[ \t]*[,!.:\n–-])", re.IGNORECASE
)
SIGNED = re.compile(
    r"\b(?:thanks|thank you|cheers|best|regards|wishes|sincerely|yours|love|greetings)[,.!]\s{1,3}(?P<name>[^\W\d_]{2,20})[.!]?\s{0,3}$",
    re.IGNORECASE,
)
VOCATIVE = re.compile(r"\b[a-z]{1,20}, (?P<name>[A-Z][a-z]{2,20})(?=[.!?](?:\s|$))")  # I am sorry to hear that, Ngozi.
ROLE = re.compile(
    r"\b(?:dear|hi|hello|hey|(?:you|me|him|her|us) and|(?:grand)?(?:mother|father|son|daughter)|sister|brother|wife|husband|aunt|uncle|cousin|nephew|niece|friend|colleague|partner|boss"
    r"|neighbou?r|roommate|flatmate|mom|mum|dad|mayor|judge|officer|captain|detective|sergeant|senator|governor|minister|president|chancellor"
    r"|king|queen|prince|princess|pope|saint|father|pastor|reverend|miss|nurse|technician|witness|tenant|landlord|caller|patient|student"
    r"|passenger|guest|citizen|author|writer|singer|actor|actress|director|coach|teacher|professor|manager|secretary|lawyer|attorney)\s+",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"(?:^|[\n,;{(\"'])[ \t\"']{0,8}(?:(?:full|first|last|given|family|customer|patient|guest|account|card) ?)?"
    r"(?:name|holder|patient|contact|customer|client|caller|tenant|guest|passenger|witness|employee|recipient|owner|attn|cc|from|to"
    r"|signed|author|sender|attendees?|participants?|emergency contact|(?:ship|bill|sold|deliver|mail) to|attention)\"?'?:\s{0,2}[ \t\"']{0,8}",
    re.IGNORECASE | re.MULTILINE,
)
CLOSING = re.compile(
    r"(?:^|\n|[.!?] )[ \t]*(?:(?:kind|best|warm|warmest|many|with)? ?(?:regards|wishes|thanks)|(?:yours )?(?:sincerely|faithfully|truly)"
    r"|yours|best|cheers|thanks|thank you|love|respectfully|cordially|greetings|mfg|saludos|cordialement|mit freundlichen grüßen)[^\S\n]{0,4}"
    r"(?:[^\n]{0,20}[,.!])?[^\S\n]{0,4}\n+|^--[^\S\n]*\n",
    re.IGNORECASE,
)
NAMED_AFTER = words(
    "airport international hospital university college school stadium arena center centre park museum memorial library foundation bridge institute hall building street avenue road boulevard highway drive square plaza prize award"
)
GROUPS = words("general friend friends major colonel captain doctor pastor king queen")
SAINTS = words("san santa santo saint st los las el fort port new")
COMMON = words("not the a an on in no so can may will just still now here very all any are is too")
