"""The commands, by what they are about; each parses its options, calls the library and shows the record."""
