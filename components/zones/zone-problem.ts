import { LookoutRequestError } from '#lib/client/request/fetch-lookout.ts';

const FORM_FIELDS = ['name', 'shape', 'vertical', 'hours', 'rules', 'permits', 'history_requests_a_day'] as const;
type FormField = (typeof FORM_FIELDS)[number];

export interface ZoneProblem {
  /** That of a rule or permit names its number. */
  readonly fields: Readonly<Partial<Record<FormField, string>>>;
  readonly general: string | undefined;
}

export function zoneProblem(error: unknown): ZoneProblem {
  if (!(error instanceof LookoutRequestError)) return generally('That did not work. Try again.');
  const { kind, code, said } = error;
  if (kind === 'signed-out') return generally('You are signed out; nothing was saved.');
  if (kind === 'unreachable') return generally('No answer from Lookout’s own server; nothing may have been saved.');
  switch (code) {
    case 'name_taken':
      return { fields: { name: said ?? 'You have a zone of this name already.' }, general: undefined };
    case 'bad_body':
      return fromMessage(said ?? 'The server refused the zone.');
    case 'revision_conflict':
      return generally(said ?? 'The zone was changed meanwhile: open it again.');
    default:
      return generally(said ?? 'That did not work. Try again.');
  }
}

/** Reads `rules.0.hold_s: too big; shape: crosses itself`. */
function fromMessage(message: string): ZoneProblem {
  const fields: Partial<Record<FormField, string>> = {};
  const others: string[] = [];
  for (const part of message.split('; ')) {
    const [, path = '', text = ''] = /^([a-z_]+(?:\.[a-z0-9_]+)*):? +(.+)$/is.exec(part) ?? [];
    const [head, ...inner] = path.split('.');
    const field = FORM_FIELDS.find((candidate) => candidate === head);
    if (field === undefined) others.push(part);
    else {
      const where = inner.map((step) => (/^\d+$/.test(step) ? `no. ${Number(step) + 1}` : step.replaceAll('_', ' ')));
      const said = [...where, text].join(' ');
      fields[field] = fields[field] === undefined ? said : `${fields[field]}; ${said}`;
    }
  }
  return { fields, general: others.length === 0 ? undefined : others.join('; ') };
}

function generally(general: string): ZoneProblem {
  return { fields: {}, general };
}
