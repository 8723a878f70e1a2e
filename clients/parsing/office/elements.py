"""The type of XML elements."""

from typing import TypeAlias

from lxml import etree

Element: TypeAlias = etree._Element  # pyright: ignore[reportPrivateUsage]: lxml has no public name for it
