/** Bounds are inclusive. Text that looks like a number is null. */
export function numberWithin(value: unknown, min: number, max: number): number | null {
  return typeof value === 'number' && value >= min && value <= max ? value : null;
}

const decoder = new TextDecoder();

export function textOf(message: string | Uint8Array): string {
  return typeof message === 'string' ? message : decoder.decode(message);
}
