/** Where to sign in again, with the way back to what is shown now. */
export function signInAddress(): string {
  const { pathname, search, hash } = window.location;
  return `/sign-in?next=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
}
