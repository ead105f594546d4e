"""The engine for exports that outgrow one machine: the same line inside Spark, byte for byte."""
