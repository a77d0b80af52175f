const MOVES: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End']);

export function isRowKey(key: string): boolean {
  return MOVES.has(key) || key === 'Enter' || key === ' ';
}

/** `undefined` if the key does not move or the list is empty. */
export function rowAfterKey(
  key: string,
  row: number | undefined,
  count: number,
  rowsOnPage: number,
): number | undefined {
  if (count === 0) return undefined;
  const within = (index: number) => Math.min(Math.max(index, 0), count - 1);
  switch (key) {
    case 'ArrowDown':
      return row === undefined ? 0 : within(row + 1);
    case 'ArrowUp':
      return row === undefined ? count - 1 : within(row - 1);
    case 'PageDown':
      return within((row ?? 0) + rowsOnPage);
    case 'PageUp':
      return within((row ?? 0) - rowsOnPage);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
