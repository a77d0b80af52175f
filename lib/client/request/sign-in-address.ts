export function signInAddress(): string {
  const { pathname, search, hash } = window.location;
  return `/sign-in?next=${encodeURIComponent(`${pathname}${search}${hash}`)}`;
}
