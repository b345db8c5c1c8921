"""How Sphinx makes the pages of the site, next to whose sources this file is copied."""

import os

project = "rowtime"
author = "the authors of rowtime"
copyright = author
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "rowtime"
html_static_path = ["_static"]
html_css_files = ["timeline.css", "places.css", "site.css"]
html_js_files = ["landing.js"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
# `make site` passes whether there is a playground.
html_context = {"playground": os.environ.get("PLAYGROUND", "")}
templates_path = ["_templates"]
html_sidebars = {
    "**": [
        "sidebar/scroll-start.html",
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/navigation.html",
        "links.html",
        "sidebar/scroll-end.html",
    ]
}
highlight_language = "none"
myst_heading_anchors = 4  # as GitHub makes them, to which docs/ links
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
