"""What holds of the pages: links, navigation, commands, and the site that is built from them."""
