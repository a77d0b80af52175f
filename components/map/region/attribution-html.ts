const MAX_CHARACTERS = 300;

/** What the map has to name, whatever the file does: the schema is made from OpenStreetMap by Protomaps. */
const PROTOMAPS =
  '<a href="https://protomaps.com" target="_blank" rel="noreferrer">Protomaps</a> <a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">© OpenStreetMap contributors</a>';

/**
 * The attribution of a file, of which nothing is kept but text and links to the web: it is HTML that anybody may have written.
 * @param attribution from the file's metadata
 */
export function attributionHtml(attribution: unknown, isProtomaps: boolean): string {
  const own = typeof attribution === 'string' ? textAndLinks(attribution) : '';
  if (!isProtomaps) return own;
  return /openstreetmap/i.test(own) ? own : [own, PROTOMAPS].filter(Boolean).join(' ');
}

function textAndLinks(html: string): string {
  const out = document.createElement('div');
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const element of body.querySelectorAll('script, style, template, noscript, iframe, svg, math')) element.remove();
  let left = MAX_CHARACTERS;
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() && left > 0) {
    const text = (walker.currentNode.textContent ?? '').slice(0, left);
    left -= text.length;
    const address = walker.currentNode.parentElement?.closest('a')?.getAttribute('href') ?? '';
    out.append(/^https?:\/\//i.test(address) && URL.canParse(address) ? link(address, text) : text);
  }
  return out.innerHTML;
}

function link(address: string, text: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.target = '_blank';
  anchor.rel = 'noreferrer';
  anchor.textContent = text;
  return anchor;
}
