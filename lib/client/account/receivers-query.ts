import { queryOptions } from '@tanstack/react-query';
import { type ReceiversAnswer, receiversAnswerSchema } from '#lib/api/receivers-answer.ts';
import type { LookoutRequestError } from '../request/fetch-lookout.ts';
import { askLookout } from './account-requests.ts';

/** Stations come and go by the second. */
const REFRESH_MS = 3000;

/** How one's own receivers stand: asked while the page is visible, and no longer once it is known that there are none. */
export function receiversQuery() {
  return queryOptions<ReceiversAnswer, LookoutRequestError>({
    queryKey: ['receivers'],
    queryFn: ({ signal }) => askLookout('GET', '/api/admin/receivers', receiversAnswerSchema, { signal }),
    networkMode: 'always',
    retry: false,
    staleTime: 0,
    refetchInterval: ({ state }) => state.error?.code !== 'not_found' && REFRESH_MS,
  });
}
