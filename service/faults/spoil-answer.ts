import type { Envelope } from '#lib/contract/envelope.ts';
import { DAY_REMAINING_HEADER, MINUTE_REMAINING_HEADER } from '#lib/contract/operation.ts';
import type { Answer } from '../http/answer.ts';
import { layerLetter } from '../references/public-reference.ts';
import type { Fault } from './fault.ts';

export interface CursorForm {
  readonly prefix: string;
  readonly randomBytes: (size: number) => Uint8Array;
}

export function spoilAnswer(fault: Fault, answer: Answer, form: CursorForm): Answer {
  if (!isEnvelope(answer.body)) return answer;
  const envelope = answer.body;
  const withBody = (change: Partial<Envelope>): Answer => ({ ...answer, body: { ...envelope, ...change } });
  switch (fault.kind) {
    case 'bad_record': {
      const count = fault.count ?? envelope.data.length;
      const spoilt = (record: unknown, index: number) =>
        index < count ? { ...(record as object), latitude: 'north' } : record;
      return withBody({ data: envelope.data.map(spoilt) });
    }
    case 'endless_cursor':
    case 'repeat_cursor': {
      if (envelope.mode !== 'live') return answer;
      const handle =
        fault.kind === 'repeat_cursor'
          ? '0123456789ABCDEF'
          : Buffer.from(form.randomBytes(8)).toString('hex').toUpperCase();
      return withBody({ next_cursor: `${form.prefix}-${layerLetter(envelope.layer)}-${handle}` });
    }
    case 'wrong_layer':
      return withBody({ layer: envelope.layer === 'rid' ? 'adsb' : 'rid' });
    case 'allowance': {
      const { per_minute, per_day } = fault;
      const headers = {
        ...answer.headers,
        ...(per_minute === null ? {} : { [MINUTE_REMAINING_HEADER]: per_minute }),
        ...(per_day === null ? {} : { [DAY_REMAINING_HEADER]: per_day }),
      };
      return { ...answer, headers };
    }
    case 'no_headers': {
      const { [MINUTE_REMAINING_HEADER]: _minute, [DAY_REMAINING_HEADER]: _day, ...headers } = answer.headers;
      return { ...answer, headers };
    }
    default:
      return answer;
  }
}

function isEnvelope(body: Answer['body']): body is Envelope {
  return 'data' in body;
}
