"""What a checker of accessibility looks for: scripts that return what they find wrong."""

NAMELESS = """() => {
  const controls = document.querySelectorAll('button, a[href], input:not([type=hidden]), select');
  const named = (e) =>
    e.textContent.trim() || e.getAttribute('aria-label') || (e.labels && e.labels.length);
  return [...controls].filter(e => e.checkVisibility() && !named(e)).map(e => e.outerHTML);
}"""

# Too low for a finger.
SMALL = """() => [...document.querySelectorAll('button:not(.w), a.button, summary, select, nav a')]
  .filter(e => e.checkVisibility({visibilityProperty: true}))
  .map(e => [e.outerHTML.slice(0, 90), e.getBoundingClientRect().height])
  .filter(([, height]) => height < 43.5)"""

# Text of less than 4.5 to 1 (WCAG 2, AA).
POOR_CONTRAST = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = (color) => color.slice(0, 3)
    .reduce((sum, v, i) => sum + linear(v / 255) * [.2126, .7152, .0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const color = rgb(getComputedStyle(e).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const e of document.querySelectorAll('body *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.checkVisibility() || e.closest(':disabled, .unseen, option')) continue;
    const {color, opacity} = getComputedStyle(e);
    const under = ground(e);
    const over = rgb(color).map((v, i) => v * opacity + under[i] * (1 - opacity));
    const [dark, bright] = [light(over), light(under)].sort((x, y) => x - y);
    const ratio = (bright + .05) / (dark + .05);
    if (ratio < 4.5) poor.push([e.outerHTML.slice(0, 80), ratio]);
  }
  return poor;
}"""
