import { type OidcEntry, oidcEntries } from './oidc-policy.ts';

export function entries(text: string): readonly OidcEntry[] {
  const read = oidcEntries(text);
  if (typeof read === 'string') throw new Error(`${text} ${read}`);
  return read;
}
