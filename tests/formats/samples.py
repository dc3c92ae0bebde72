"""A small file of each format whose text is replaced where it stands; packed ones are made here."""

# ruff: noqa: E501 (files as programs write them have long lines)
from __future__ import annotations

import zipfile
from io import BytesIO

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TYPES = "application/vnd.openxmlformats-officedocument."


def pack(parts: dict[str, str | bytes]) -> bytes:
    """An archive of parts; the first is stored, as EPUB and OpenDocument want it."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (name, part) in enumerate(parts.items()):
            kind = zipfile.ZIP_STORED if number == 0 else zipfile.ZIP_DEFLATED
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), part, kind)
    return out.getvalue()


def _types(**parts: str) -> str:
    rows = "".join(
        f'<Override PartName="/{n.replace("__", "/")}.xml" ContentType="{TYPES}{t}+xml"/>' for n, t in parts.items()
    )
    return f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{rows}</Types>'


DOCUMENT = f"""<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:document xmlns:w="{W}" xmlns:r="urn:r"><w:body>
<w:p w:rsidR="1"><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:bookmarkStart w:id="0" w:name="top"/><w:r><w:t>The boiler</w:t></w:r><w:bookmarkEnd w:id="0"/></w:p>
<w:p><w:r><w:t xml:space="preserve">Press </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>the green</w:t></w:r><w:proofErr w:type="x"/><w:r><w:rPr><w:b/><w:lang w:val="en"/></w:rPr><w:t xml:space="preserve"> button</w:t></w:r><w:r><w:t xml:space="preserve"> twice</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t>. Then wait &amp; see.</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="rId4"><w:r><w:rPr><w:u/></w:rPr><w:t>the manual</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
<w:p><w:r><w:t>Before the box</w:t></w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>In the box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r><w:r><w:t xml:space="preserve"> and after it</w:t></w:r></w:p>
<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF x</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>Chapter one</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r><w:r><w:t xml:space="preserve"> tells more.</w:t></w:r></w:p>
<w:p><w:r><w:t>12.5</w:t></w:r></w:p></w:body></w:document>"""
DOCX: dict[str, str | bytes] = {
    "[Content_Types].xml": _types(
        word__document="wordprocessingml.document.main", word__header1="wordprocessingml.header"
    ),
    "word/document.xml": DOCUMENT,
    "word/header1.xml": f'<w:hdr xmlns:w="{W}"><w:p><w:r><w:t>A header</w:t></w:r></w:p></w:hdr>',
    "word/vbaProject.bin": b"\0macro" * 50,
}
PPTX: dict[str, str | bytes] = {
    "[Content_Types].xml": _types(
        ppt__slides__slide2="presentationml.slide", ppt__slides__slide10="presentationml.slide"
    ),
    "ppt/slides/slide10.xml": f'<p:sld xmlns:p="urn:p" xmlns:a="{A}"><a:p><a:r><a:rPr lang="en"/><a:t>The end</a:t></a:r></a:p></p:sld>',
    "ppt/slides/slide2.xml": f'<p:sld xmlns:p="urn:p" xmlns:a="{A}"><a:p><a:pPr/><a:r><a:rPr lang="en" b="1"/><a:t>Bold</a:t></a:r>'
    '<a:r><a:rPr lang="en" dirty="0"/><a:t> is the beginning</a:t></a:r><a:br/><a:r><a:rPr lang="en"/><a:t>of it</a:t></a:r>'
    "<a:endParaRPr/></a:p></p:sld>",
}
XLSX: dict[str, str | bytes] = {
    "[Content_Types].xml": _types(
        xl__sharedStrings="spreadsheetml.sharedStrings", xl__worksheets__sheet1="spreadsheetml.worksheet"
    ),
    "xl/sharedStrings.xml": f'<sst xmlns="{S}"><si><t>Name</t></si><si><t xml:space="preserve">A long text. Another one.</t></si>'
    "<si><r><t>Some </t></r><r><rPr><b/></rPr><t>bold</t></r></si><si><t>42</t></si></sst>",
    "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{S}"><c t="inlineStr"><is><t>In a cell</t></is></c></worksheet>',
    "xl/tables/table1.xml": f'<table xmlns="{S}"><tableColumn id="1" name="Name"/></table>',
}
ODT: dict[str, str | bytes] = {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "content.xml": '<office:document-content xmlns:office="urn:o" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    '<text:h>A heading</text:h><text:p>Some <text:span text:style-name="T1">bold</text:span> text<text:note><text:note-body>'
    "<text:p>A note</text:p></text:note-body></text:note>. And\n  more.</text:p><text:p/></office:document-content>",
    "styles.xml": '<office:document-styles xmlns:office="urn:o" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    "<text:p>A footer</text:p></office:document-styles>",
    "Pictures/1.png": b"\x89PNG" * 10,
}
PAGE = '<?xml version="1.0" encoding="UTF-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>One</title></head><body><p>Page <i>one</i>.<br/>Next line.</p></body></html>'
EPUB: dict[str, str | bytes] = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
    '<dc:title>My book</dc:title><dc:language>en</dc:language></metadata><manifest><item href="page%201.xhtml" '
    'media-type="application/xhtml+xml"/><item href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest></package>',
    "OEBPS/page 1.xhtml": PAGE,
    "OEBPS/toc.ncx": '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navLabel><text>First part</text></navLabel></ncx>',
}

TEXTS = {
    "page.html": """<!DOCTYPE html>
<html lang="en"><head><title>My page</title><meta name="description" content="About &quot;it&quot;">
<script>var x = "<p>no</p>";</script></head>
<body><h1>Title</h1>
<p>First <b>bold</b> sentence
  wrapped. Second one with <a href="x" title="Tip">link</a> &amp; <code>code()</code>!</p><!-- c -->
<ul><li>One<li>Two</ul><img alt="An image" src=x><pre>left alone</pre>
<p>{{ var }} Hello <span translate="no">Acme</span>.</p></body></html>
""",
    "page.md": """---
title: My page
tags: [a]
---
# Heading *one*

First **bold** text
wrapped here. See [the link](http://x.org "t") and `code`.\x20\x20
Hard break.

> Quote one
> goes on.

1. Item one
   more
2. Item `x`

| A b | C |
|---|---|
| cell one | cell \\| two |

```
code here
```

    indented code
""",
    "film.srt": """1
00:00:01,000 --> 00:00:03,000
This is a long
sentence that

2
00:00:03,000 --> 00:00:05,000
goes <i>on</i>.

3
00:00:05,000 --> 00:00:06,000
- Hi.
- Hello.
""",
    "film.vtt": """WEBVTT

NOTE about it

00:01.000 --> 00:03.000 align:start
<v Ann>Hello there.</v>

1
00:00:03.000 --> 00:00:05.000
Second
""",
    "en.json": """{
  "menu": {"open": "Open {{name}}", "n_one": "{{count}} file", "list": ["One thing", "Two"]},
  "icu": "{n, plural, one {# file} other {# files in {dir}}} left",
  "url": "https://x.org", "size": 3, "quote": "Say \\"hi\\"\\n to <b>all</b>"
}
""",
    "messages.json": '{"a": {"message": "Hello $1", "description": "greets"}}',
    "app.arb": '{"@@locale": "en", "hi": "Hello {name}", "@hi": {"description": "a greeting"}}',
    "en.yml": """en:
  hi: Hello %{name}   # greeting
  quoted: "A \\"b\\""
  single: 'It''s'
  block: |
    Line one
    line two
  folded: >-
    folded text
    here
  list:
    - One
    - two words
  flow: {a: Some text, b: [More text]}
  flag: true
""",
    "strings.xml": """<?xml version="1.0" encoding="utf-8"?>
<resources xmlns:xliff="urn:oasis:names:tc:xliff:document:1.2">
  <string name="a">It\\'s <b>bold</b> %1$s</string>
  <string name="g">Hi <xliff:g id="n">%s</xliff:g> there</string>
  <string name="x" translatable="false">no</string>
  <plurals name="p"><item quantity="one">%d file</item><item quantity="other">%d files</item></plurals>
  <string-array name="s"><item>First</item></string-array>
  <string name="c"><![CDATA[<b>Bold</b> text]]></string>
</resources>
""",
    "Localizable.strings": '/* Title */\n"title" = "Hello %@\\n\\"x\\"";\nkey = "Other";\n// end\n',
    "Localizable.stringsdict": """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>%d files left</key>
  <dict>
    <key>NSStringLocalizedFormatKey</key><string>There %#@files@ left</string>
    <key>files</key>
    <dict>
      <key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string>
      <key>NSStringFormatValueTypeKey</key><string>d</string>
      <key>one</key><string>is %d file</string>
      <key>other</key><string>are %d files &amp; more</string>
    </dict>
  </dict>
</dict></plist>
""",
    "messages.properties": "# note\nhi = Hello {0}, it''s \\\n   wrapped\nkey\\ b: Caf\\u00e9\n! c\nempty=\n",
    "r.resx": '<root>\n<data name="A" xml:space="preserve"><value>Hello {0} &amp; you</value><comment>note</comment></data>'
    '<data name="i" type="System.Drawing"><value>abc</value></data></root>',
    "main.ftl": """# note
hi = Hello { $name }, welcome
    .title = Title here
n = { $n ->
    [one] One file
   *[other] { $n } files
 } left
multi =
    Line one
    line two
-brand = Fire
""",
}
TARGETS = {  # formats with targets of their own
    "L.xcstrings": """{
  "sourceLanguage" : "en",
  "strings" : {
    "Hello" : {

    },
    "Bye %@" : {
      "comment" : "to a friend",
      "localizations" : {
        "de" : {
          "stringUnit" : {
            "state" : "translated",
            "value" : "Tschüs %@"
          }
        }
      }
    },
    "Done" : {
      "localizations" : {
        "es" : {
          "stringUnit" : {
            "state" : "needs_review",
            "value" : "Hecho"
          }
        }
      }
    },
    "%d cups" : {
      "localizations" : {
        "en" : {
          "variations" : {
            "plural" : {
              "one" : { "stringUnit" : { "state" : "translated", "value" : "%d cup" } },
              "other" : { "stringUnit" : { "state" : "translated", "value" : "%d cups" } }
            }
          }
        },
        "es" : {
          "variations" : {
            "plural" : {
              "one" : { "stringUnit" : { "state" : "new", "value" : "" } },
              "many" : { "stringUnit" : { "state" : "new", "value" : "" } }
            }
          }
        }
      }
    },
    "%d spoons" : {
      "localizations" : {
        "en" : {
          "variations" : {
            "plural" : {
              "other" : { "stringUnit" : { "state" : "translated", "value" : "%d spoons" } }
            }
          }
        }
      }
    },
    "Acme" : {
      "shouldTranslate" : false
    }
  },
  "version" : "1.0"
}
""",
    "table.csv": 'key,en,es,comment\na,"Hello, you",,note\nb,Bye,Adiós,\n',
    "app.ts": """<?xml version="1.0"?>
<!DOCTYPE TS>
<TS version="2.1" language="es">
<context><name>W</name>
<message><source>Hello</source><translation type="unfinished"></translation></message>
<message><source>Bye</source><translation>Adiós</translation></message>
<message numerus="yes"><source>%n file(s)</source><translation type="unfinished"><numerusform></numerusform><numerusform></numerusform></translation></message>
</context></TS>
""",
}
PACKED = {
    "a.docx": pack(DOCX),
    "a.pptx": pack(PPTX),
    "a.xlsx": pack(XLSX),
    "a.odt": pack(ODT),
    "a.epub": pack(EPUB),
}
REPLACED = {name: text.encode() for name, text in TEXTS.items()} | PACKED
ALL = REPLACED | {name: text.encode() for name, text in TARGETS.items()}
