/** 0, −1, 1, −2, 2, … become 0, 1, 2, 3, 4, … */
export function zigzag(difference: number): number {
  return ((difference << 1) ^ (difference >> 31)) >>> 0;
}

export function unzigzag(number: number): number {
  return (number >>> 1) ^ -(number & 1);
}
