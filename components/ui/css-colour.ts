import type { Rgb } from '#lib/model/altitude-colour.ts';

export function cssColour([red, green, blue]: Rgb): string {
  const byte = (part: number) => Math.round(part * 255);
  return `rgb(${byte(red)} ${byte(green)} ${byte(blue)})`;
}
