import 'server-only';
import { errorBodySchema } from '#lib/contract/error-body.ts';

/** Whether the service itself refused; an answer of the network edge has another form. */
export function isErrorBody(body: string): boolean {
  try {
    return errorBodySchema.safeParse(JSON.parse(body)).success;
  } catch {
    return false;
  }
}
