"""The browser of tests (the one on the PATH), and the measurements that a page makes."""

import shutil
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM: Final = next((path for name in NAMES if (path := shutil.which(name))), None)

#: The texts of a page whose colour is too close to the background, each with its contrast.
WEAK_CONTRASTS: Final = """() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(each => each / 255)
    .map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
    .reduce((sum, each, i) => sum + each * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = each => {
    for (; each; each = each.parentElement) {
      const colour = parts(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return light(colour);
    }
    return 1;
  };
  const weak = [];
  for (const each of document.querySelectorAll("main *, header *")) {
    const text = [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    // A badge has its own ground.
    if (!text || !each.checkVisibility() || each.closest(".hidden, .badge")) continue;
    const style = getComputedStyle(each);
    const a = light(parts(each.closest("svg") ? style.fill : style.color)), b = behind(each);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const name = `${each.tagName}.${each.className.baseVal ?? each.className}`;
    if (ratio < 4.5) weak.push(`${name} ${ratio.toFixed(1)}`);
  }
  return [...new Set(weak)];
}"""

#: The texts and attributes of a page, visible and hidden, after the page has been drawn.
TEXTS: Final = """() => [...document.querySelectorAll("*")].filter(each => each.id !== "data")
  .flatMap(each => [...each.attributes].map(each => each.value)
    .concat([...each.childNodes].filter(node => node.nodeType === 3).map(node => node.data)))
  .join("\\n")"""
