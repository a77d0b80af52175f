import { hash53 } from '#lib/model/hash53.ts';

export function shortHash(text: string): string {
  return hash53(text).toString(36);
}
