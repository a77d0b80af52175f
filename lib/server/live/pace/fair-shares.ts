import 'server-only';

/**
 * Divides a total among those who want of it (max–min fairness): who wants less than an equal share gets what they want, and what they
 * leave is divided equally among the others. Nobody gets less than an equal share unless they want less.
 * @param wants at least 0; may be infinite
 * @returns what each one gets, in the order of `wants`: together the total, or less where all get what they want
 */
export function fairShares(wants: readonly number[], total: number): number[] {
  const shares = wants.map(() => 0);
  const leastFirst = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  let left = total;
  for (const [place, { want, index }] of leastFirst.entries()) {
    const share = Math.min(want, left / (wants.length - place));
    shares[index] = share;
    left = Math.max(0, left - share);
  }
  return shares;
}
