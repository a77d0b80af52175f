import { existsSync } from 'node:fs';
import { addMs, formatInstant, parseInstant, type UpstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { confirmDeletion } from '../data-dir/confirmed-deletion.ts';
import { CommandArguments, type ValueForm } from './read-arguments.ts';
import type { CommandResult } from './run-command.ts';
import { userPath } from './user-path.ts';
import { pathForm } from './value-forms.ts';

const OPTIONS = { data: { type: 'string' }, before: { type: 'string' }, json: { type: 'boolean' } } as const;

/** `past delete --data DIR --before TIME` */
export function runPastCommand(args: readonly string[], now: UpstreamInstant): CommandResult | undefined {
  const [action, ...options] = args;
  if (action !== 'delete') return undefined;
  const given = new CommandArguments('past delete', '', OPTIONS, options);
  const dataDir = given.required('data', pathForm);
  const before = given.required('before', pastTimeForm(now));
  if (dataDir === undefined || before === undefined || given.problems.length > 0)
    return { ok: false, exitCode: 2, problems: given.problems };
  const path = userPath(dataDir);
  if (!existsSync(path)) return { ok: false, exitCode: 1, problems: [`There is no directory ${path}.`] };
  try {
    confirmDeletion(path, before);
  } catch (error) {
    return { ok: false, exitCode: 1, problems: [error instanceof Error ? error.message : String(error)] };
  }
  const text = formatInstant(before);
  if (given.flag('json')) return { ok: true, output: `${JSON.stringify({ confirmed_before: text })}\n` };
  return {
    ok: true,
    output: `Confirmed. The service over ${path} deletes what it received before ${text}, as far as that is older than it keeps: at once, or when it starts.\n`,
  };
}

/** A date means its beginning in UTC. */
function pastTimeForm(now: UpstreamInstant): ValueForm<UpstreamInstant> {
  const example = formatInstant(addMs(now, -30 * DAY_MS)).slice(0, 10);
  return {
    parse(text) {
      const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
      return at !== undefined && at < now ? at : undefined;
    },
    instead: `write a date in the past such as ${example}, or a time such as ${example}T12:00:00Z`,
  };
}
