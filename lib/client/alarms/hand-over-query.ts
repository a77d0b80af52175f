import { type QueryClient, queryOptions } from '@tanstack/react-query';
import {
  HAND_OVER_NOTES_MAX,
  type HandOverAnswer,
  type HandOverNote,
  handOverAddedSchema,
  handOverNotesSchema,
} from '#lib/api/watching/hand-over.ts';
import type { Lookout } from '../page/lookout.ts';
import { type LookoutRequestError, sendToLookout } from '../request/fetch-lookout.ts';
import { FAILS_AT_ONCE, requestJson } from '../request/request-json.ts';

const KEY = ['hand-over'] as const;
/** Notes of colleagues who are signed in at the same time appear after so long. */
const AGAIN_MS = 60_000;

/** @param window RFC 3339; `undefined`: the latest notes */
export function handOverQuery(window?: { readonly start: string; readonly end: string }) {
  const query = window ? `?${new URLSearchParams({ start: window.start, end: window.end })}` : '';
  return queryOptions<HandOverAnswer, LookoutRequestError>({
    queryKey: [...KEY, query],
    queryFn: ({ signal }) => requestJson('GET', `/api/hand-over${query}`, handOverNotesSchema, { signal }),
    ...FAILS_AT_ONCE,
    ...(window === undefined && { refetchInterval: AGAIN_MS, staleTime: AGAIN_MS }),
  });
}

/** @param readHere ids that this browser keeps, where there is no sign-in */
export function unreadNotes(notes: readonly HandOverNote[], readHere: readonly string[]): readonly HandOverNote[] {
  return notes.filter(({ id, read }) => !read && !readHere.includes(id));
}

type Keeper = Pick<Lookout, 'operator' | 'preferences'>;

/** @throws LookoutRequestError if it was not stored */
export async function writeNote(lookout: Keeper, queries: QueryClient, note: string): Promise<void> {
  const { id } = await requestJson('POST', '/api/hand-over', handOverAddedSchema, { body: { note } });
  if (lookout.operator === undefined) keepRead(lookout, [id]);
  await queries.invalidateQueries({ queryKey: KEY });
}

/** @throws LookoutRequestError if it was not stored */
export async function markNotesRead(lookout: Keeper, queries: QueryClient, ids: readonly string[]): Promise<void> {
  if (lookout.operator === undefined) return keepRead(lookout, ids);
  for (const id of ids) await sendToLookout('PUT', '/api/hand-over/read', { note: id });
  await queries.invalidateQueries({ queryKey: KEY });
}

function keepRead({ preferences }: Keeper, ids: readonly string[]): void {
  const before = preferences.get().handOverRead.filter((id) => !ids.includes(id));
  preferences.change({ handOverRead: [...before, ...ids].slice(-HAND_OVER_NOTES_MAX) });
}
