export const REQUEST_ID_HEADER = 'x-request-id';

/** Cannot look like another part of a log line. */
const acceptable = /^[A-Za-z0-9_-]{8,64}$/;

/** From a proxy or a script, to join its log with ours. */
export function acceptableRequestId(text: string | null | undefined): string | undefined {
  return text !== null && text !== undefined && acceptable.test(text) ? text : undefined;
}
