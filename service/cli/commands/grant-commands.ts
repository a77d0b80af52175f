import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AccessRequest, AccessTerms, ApprovedGrant } from '../../accounts/account-book.ts';
import { approveGrant, denyRequest, isInForce, requestAccess, revokeGrant } from '../../accounts/administer/grants.ts';
import {
  type CommandArguments,
  endDateForm,
  lookbackForm,
  nameForm,
  scopesForm,
  sentenceForm,
} from '../read-arguments.ts';
import { type Command, known, timeText } from './command.ts';

const account = { account: { type: 'string' } } as const;
const reason = { reason: { type: 'string' } } as const;
const terms = {
  ...account,
  scopes: { type: 'string' },
  lookback: { type: 'string' },
  until: { type: 'string' },
  company: { type: 'string' },
  use: { type: 'string' },
} as const;

function readTerms(given: CommandArguments<typeof terms>, now: UpstreamInstant) {
  return {
    name: given.required('account', nameForm),
    scopes: given.value('scopes', scopesForm),
    lookbackDays: given.value('lookback', lookbackForm),
    until: given.value('until', endDateForm(now)),
    company: given.value('company', sentenceForm),
    purpose: given.value('use', sentenceForm),
  };
}

const request: Command = {
  operand: '',
  options: terms,
  read(given, now) {
    const { name, scopes, lookbackDays, until, company, purpose } = readTerms(given, now);
    if (!given.has('scopes')) given.problems.push(`--scopes is missing: ${scopesForm.instead}`);
    if (scopes?.some((scope) => scope.endsWith('.history')) && !given.has('lookback')) {
      given.problems.push(`--lookback is missing: ${lookbackForm.instead}`);
    }
    return (acting) => {
      const requested = requestAccess(acting, known(name), {
        scopes: known(scopes),
        lookbackDays: lookbackDays ?? 1,
        until: until?.at ?? null,
        company: company ?? null,
        purpose: purpose ?? null,
      });
      return {
        json: { account: requested.name, request: requested.request && accessRequestJson(requested.request) },
        lines: [
          `${requested.name} asks for ${known(scopes).join()}. It is decided with grant approve or grant deny --account ${JSON.stringify(requested.name)}.`,
        ],
      };
    };
  },
};

const approve: Command = {
  operand: '',
  options: terms,
  read(given, now) {
    const { name, scopes, lookbackDays, until, company, purpose } = readTerms(given, now);
    return (acting) => {
      const approval = approveGrant(acting, known(name), {
        scopes,
        lookbackDays,
        until: until?.at,
        company,
        purpose,
      });
      const { grant } = approval.account;
      const before = isInForce(approval.before, acting.now) ? approval.before.scopes : [];
      const lost = before.filter((scope) => !grant.scopes.includes(scope));
      return {
        json: {
          account: approval.account.name,
          grant: grantJson(grant),
          no_longer: lost,
          shortened_keys: approval.shortenedKeys,
        },
        lines: [
          `${approval.account.name} may read ${grantText(grant, acting.now)}.`,
          ...(lost.length > 0 ? [`No longer: ${lost.join()}.`] : []),
          ...(approval.shortenedKeys > 0 ? [`Keys that now end with it: ${approval.shortenedKeys}.`] : []),
        ],
      };
    };
  },
};

function refusing(decide: typeof denyRequest | typeof revokeGrant, sentence: (name: string) => string): Command {
  return {
    operand: '',
    options: { ...account, ...reason },
    read(given) {
      const name = given.required('account', nameForm);
      const why = given.value('reason', sentenceForm);
      return (acting) => {
        const decided = decide(acting, known(name), why);
        return {
          json: { account: decided.name, grant: decided.grant && grantJson(decided.grant) },
          lines: [sentence(decided.name)],
        };
      };
    },
  };
}

const deny = refusing(denyRequest, (name) => `The request of ${name} is denied.`);
const revoke = refusing(revokeGrant, (name) => `The grant of ${name} is revoked: its keys get a 403.`);

export const grantCommands: Readonly<Record<string, Command>> = { request, approve, deny, revoke };

function termsJson({ scopes, lookbackDays, until, company, purpose }: AccessTerms) {
  return { scopes, lookback_days: lookbackDays, until: timeText(until), company, use: purpose };
}

export function grantJson(grant: ApprovedGrant) {
  return { state: grant.state, ...termsJson(grant), decided_at: timeText(grant.decidedAt) };
}

export function accessRequestJson(access: AccessRequest) {
  return { ...termsJson(access), requested_at: timeText(access.requestedAt) };
}

/** A grant in words: `adsb.live,rid.history, 7 days back, until 2027-01-31T00:00:00.000Z`. */
export function grantText(grant: ApprovedGrant, now: UpstreamInstant): string {
  if (grant.state === 'revoked') return `revoked at ${timeText(grant.decidedAt)}`;
  if (!isInForce(grant, now)) return `ended at ${timeText(grant.until)}`;
  const readsPast = grant.scopes.some((scope) => scope.endsWith('.history'));
  return [
    grant.scopes.join(),
    ...(readsPast ? [`${grant.lookbackDays} ${grant.lookbackDays === 1 ? 'day' : 'days'} back`] : []),
    ...(grant.until === null ? [] : [`until ${timeText(grant.until)}`]),
  ].join(', ');
}
