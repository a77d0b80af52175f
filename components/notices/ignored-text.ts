/**
 * @param ignored names of parameters
 * @param cutAt the last parameter of the link, if its value is incomplete
 */
export function ignoredText(ignored: readonly string[], cutAt: string | undefined): string {
  const others = ignored.filter((name) => name !== cutAt?.split('=')[0]);
  const texts: string[] = [];
  if (cutAt !== undefined) {
    texts.push(
      `The link’s last value is incomplete or unknown: “${cutAt}”. If the link was cut, ask for the whole one.`,
    );
  }
  if (others.length > 0) texts.push(`Ignored in the address (unknown or invalid): ${others.join(', ')}.`);
  return texts.join(' ');
}
