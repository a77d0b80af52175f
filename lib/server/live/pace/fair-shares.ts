import 'server-only';

/**
 * Divides a total among those who want of it (max–min fairness): who wants less than an equal share gets what they want, and what they
 * leave is divided equally among the others. Nobody gets less than an equal share unless they want less.
 * @param wants at least 0; may be infinite
 * @returns what each one gets, in the order of `wants`: together the total, or less where all get what they want
 */
export function fairShares(wants: readonly number[], total: number): number[] {
  const shares = wants.map(() => 0);
  const ascending = wants.map((want, index) => ({ want, index })).sort((a, b) => a.want - b.want);
  let left = total;
  for (const [place, { want, index }] of ascending.entries()) {
    const share = Math.min(want, left / (wants.length - place));
    shares[index] = share;
    left = Math.max(0, left - share);
  }
  return shares;
}

/**
 * For each one, what they would get if they wanted all that there is, and the others what they want: as many calls of `fairShares`, in the time of
 * sorting.
 * @param wants at least 0; may be infinite
 */
export function sharesIfUnlimited(wants: readonly number[], total: number): number[] {
  // Nobody can get more than the total, so that more makes no difference; and infinite sums would.
  const ascending = wants
    .map((want, index) => ({ want: Math.min(want, total), index }))
    .sort((a, b) => a.want - b.want);
  /** By how many of the least get what they want: what they leave. */
  const left = [total];
  for (const { want } of ascending) left.push((left.at(-1) as number) - want);

  const shares = wants.map(() => 0);
  for (const [own, { want: ownWant, index }] of ascending.entries()) {
    const wantOfOther = (place: number) => (ascending[place < own ? place : place + 1] as { want: number }).want;
    const leftByOthers = (count: number) =>
      count <= own ? (left[count] as number) : (left[count + 1] as number) + ownWant;
    // How many of the others get what they want. Where one does not, none who wants more does.
    let low = 0;
    let high = wants.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (wantOfOther(middle) * (wants.length - middle) > leftByOthers(middle)) high = middle;
      else low = middle + 1;
    }
    shares[index] = Math.max(0, leftByOthers(low)) / (wants.length - low);
  }
  return shares;
}
