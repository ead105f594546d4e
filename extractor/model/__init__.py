"""The product's types: frozen dataclasses over the standard library, imported by every stage and by replay."""
