import 'server-only';
import { CSV_TYPE } from '#lib/text/csv.ts';
import { streamResponse } from './stream-response.ts';

/** @param what for the name of the file */
export function csvFile(
  call: Parameters<typeof streamResponse>[0],
  what: string,
  { as_of }: { readonly as_of: string },
  rows: Iterable<Uint8Array>,
): Response {
  const name = `lookout-${what}-${as_of.replaceAll(/[-:]|\.\d+/g, '')}.csv`;
  const headers = { 'content-type': CSV_TYPE, 'content-disposition': `attachment; filename="${name}"` };
  return streamResponse(call, headers, async function* () {
    yield* rows;
  });
}
