import { LookoutRequestError } from './fetch-lookout.ts';

export interface FieldProblems<Field extends string> {
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  readonly general: string | undefined;
}

/** @param within prefix of paths that is dropped, such as `config.` */
export function fieldProblems<Field extends string>(
  error: unknown,
  known: readonly Field[],
  within = '',
): FieldProblems<Field> {
  if (!(error instanceof LookoutRequestError)) return generally('That did not work. Try again.');
  const { kind, code, said } = error;
  if (kind === 'signed-out') return generally('You are signed out; nothing was saved.');
  if (kind === 'unreachable') return generally('No answer from Lookout’s own server; nothing may have been saved.');
  if (said === undefined) return generally('That did not work. Try again.');
  if (code === 'bad_body') return fromMessage(said, known, within);
  const name = known.find((field) => field === 'name');
  return code === 'name_taken' && name !== undefined
    ? { fields: { [name]: said } as Partial<Record<Field, string>>, general: undefined }
    : generally(said);
}

/** Reads `rules.0.hold_s: too big; shape: crosses itself`. */
function fromMessage<Field extends string>(
  message: string,
  known: readonly Field[],
  within: string,
): FieldProblems<Field> {
  const fields: Partial<Record<Field, string>> = {};
  const others: string[] = [];
  for (const part of message.split('; ')) {
    const stated = part.startsWith(within) ? part.slice(within.length) : part;
    const [, path = '', text = ''] = /^([a-z_]+(?:\.[a-z0-9_]+)*):? +(.+)$/is.exec(stated) ?? [];
    const [head, ...inner] = path.split('.');
    const field = known.find((candidate) => candidate === head);
    if (field === undefined) others.push(part);
    else {
      const where = inner.map((step) => (/^\d+$/.test(step) ? `no. ${Number(step) + 1}` : step.replaceAll('_', ' ')));
      const said = [...where, text].join(' ');
      fields[field] = fields[field] === undefined ? said : `${fields[field]}; ${said}`;
    }
  }
  return { fields, general: others.length === 0 ? undefined : others.join('; ') };
}

function generally<Field extends string>(general: string): FieldProblems<Field> {
  const fields: Partial<Record<Field, string>> = {};
  return { fields, general };
}
