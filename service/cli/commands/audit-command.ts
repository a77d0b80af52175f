import { nameForm, wholeNumber } from '../value-forms.ts';
import { type Command, timeText } from './command.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000_000;

export const auditCommand: Command = {
  operand: '',
  options: { account: { type: 'string' }, limit: { type: 'string' } },
  read(given) {
    const account = given.value('account', nameForm);
    const limit =
      given.value('limit', {
        parse: (text) => wholeNumber(text, 1, LIMIT_MAX),
        instead: `write how many of the latest acts, from 1 to ${LIMIT_MAX}`,
      }) ?? LIMIT_DEFAULT;
    return ({ book }) => {
      const entries = book.read((rows) => rows.audit({ account, limit }));
      return {
        json: { entries: entries.map(({ at, ...entry }) => ({ at: timeText(at), ...entry })) },
        lines: entries.map(
          ({ at, by, act, account, details }) =>
            `${timeText(at)}  ${by}  ${act}  ${account}  ${JSON.stringify(details)}`,
        ),
      };
    };
  },
};
