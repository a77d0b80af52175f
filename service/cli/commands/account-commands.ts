import type { UpstreamInstant } from '#lib/time/instant.ts';
import type { AccountRecord } from '../../accounts/account-book.ts';
import {
  addAccount,
  type ChangedAccount,
  type ListedAccount,
  listAccounts,
  removeAccount,
  setAccount,
  verifyEmail,
} from '../../accounts/administer/accounts.ts';
import { isInForce } from '../../accounts/administer/grants.ts';
import { isUsable } from '../../accounts/administer/keys.ts';
import { allowanceForm, emailForm, nameForm, sentenceForm } from '../read-arguments.ts';
import { type Command, type CommandOutput, known, tableLines, timeText } from './command.ts';
import { accessRequestJson, grantJson, grantText } from './grant-commands.ts';

const add: Command = {
  operand: 'NAME',
  options: { allowance: { type: 'string' }, email: { type: 'string' } },
  makesData: true,
  read(given) {
    const name = given.operand(nameForm);
    const allowance = given.required('allowance', allowanceForm);
    const email = given.value('email', emailForm);
    return (acting) => {
      const account = { name: known(name), allowance: known(allowance), ...(email === undefined ? {} : { email }) };
      const added = addAccount(acting, account);
      return changedOutput(added, `The account ${added.account.name} is made. Access is approved with grant approve.`);
    };
  },
};

const set: Command = {
  operand: 'NAME',
  options: { allowance: { type: 'string' }, email: { type: 'string' } },
  read(given) {
    const name = given.operand(nameForm);
    const allowance = given.value('allowance', allowanceForm);
    const email = given.value('email', emailForm);
    if (!given.has('allowance') && !given.has('email')) {
      given.problems.push('nothing to set: write --allowance MINUTE,DAY or --email ADDRESS');
    }
    return (acting) => {
      const change = { ...(allowance === undefined ? {} : { allowance }), ...(email === undefined ? {} : { email }) };
      const changed = setAccount(acting, known(name), change);
      return changedOutput(changed, `The account ${changed.account.name} is changed.`);
    };
  },
};

const verify: Command = {
  operand: 'NAME',
  options: { code: { type: 'string' } },
  read(given) {
    const name = given.operand(nameForm);
    const code = given.required('code', {
      ...sentenceForm,
      instead: 'write the code that the account holder sent back',
    });
    return (acting) => {
      const account = verifyEmail(acting, known(name), known(code));
      return {
        json: { account: accountJson(account) },
        lines: [`The e-mail address ${account.email?.address} of ${account.name} is verified.`],
      };
    };
  },
};

const remove: Command = {
  operand: 'NAME',
  options: {},
  read(given) {
    const name = given.operand(nameForm);
    return (acting) => {
      const account = removeAccount(acting, known(name));
      return {
        json: { removed: account.name },
        lines: [`The account ${account.name} and its keys are removed.`],
      };
    };
  },
};

const list: Command = {
  operand: '',
  options: {},
  read: () => (acting) => {
    const listed = listAccounts(acting);
    return {
      json: { accounts: listed.map((each) => listedJson(each, acting.now)) },
      lines:
        listed.length === 0
          ? ['There are no accounts: account add NAME --allowance MINUTE,DAY makes one.']
          : tableLines(
              ['account', 'a minute', 'a day', 'spent today', 'keys', 'access'],
              listed.map((each) => listedRow(each, acting.now)),
            ),
    };
  },
};

/**
 * The commands `account add`, `list`, `set`, `verify` and `remove`. They never approve access, as `grant approve` does,
 * and only `add` makes a data directory.
 */
export const accountCommands: Readonly<Record<string, Command>> = { add, list, set, verify, remove };

function changedOutput({ account, emailCode }: ChangedAccount, line: string): CommandOutput {
  const verification =
    emailCode === undefined
      ? []
      : [
          `Send this code to ${account.email?.address}; access can be approved once it was sent back and entered with account verify:`,
          `    ${emailCode}`,
        ];
  return {
    json: { account: accountJson(account), ...(emailCode === undefined ? {} : { email_code: emailCode }) },
    lines: [line, ...verification],
  };
}

function accountJson({ name, createdAt, allowance, email, grant, request }: AccountRecord) {
  return {
    name,
    created_at: timeText(createdAt),
    allowance: { per_minute: allowance.perMinute, per_day: allowance.perDay },
    email: email?.address ?? null,
    email_verified_at: timeText(email?.verifiedAt ?? null),
    grant: grant && grantJson(grant),
    request: request && accessRequestJson(request),
  };
}

function listedJson({ account, keys, spentToday }: ListedAccount, now: UpstreamInstant) {
  return {
    ...accountJson(account),
    spent_today: spentToday,
    keys: keys.filter((key) => isUsable(key, now)).length,
  };
}

function listedRow({ account, keys, spentToday }: ListedAccount, now: UpstreamInstant): readonly string[] {
  const { name, allowance, email, grant, request } = account;
  const access = [
    grant === null ? 'nothing approved' : grantText(grant, now),
    ...(request === null ? [] : [`asks for ${request.scopes.join()}`]),
    ...(email !== null && email.verifiedAt === null ? [`${email.address} is not verified`] : []),
  ];
  const inUse = isInForce(grant, now) ? keys.filter((key) => isUsable(key, now)).length : 0;
  return [
    name,
    String(allowance.perMinute),
    String(allowance.perDay),
    String(spentToday),
    String(inUse),
    access.join('; '),
  ];
}
