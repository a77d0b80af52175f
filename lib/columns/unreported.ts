/** A value that was not reported, in every column. It is never 0. */
export const UNREPORTED = -(2 ** 31);
