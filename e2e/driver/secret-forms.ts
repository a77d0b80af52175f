/** Plain; escaped for URLs, HTML or JSON; hex; base64 at each of three offsets within a longer text. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    // The outer characters also encode their neighbours.
    const inner = padded
      .toString('base64')
      .replace(/=+$/, '')
      .slice(Math.ceil((offset * 8) / 6), -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll('/', '\\/'),
    secret.replaceAll('/', '\\u002F'),
    secret.replaceAll('+', '&#x2B;'),
    bytes.toString('hex'),
    ...base64,
  ];
}
