import { chmodSync, copyFileSync, existsSync, readdirSync } from 'node:fs';
import { ActRefused } from '../../accounts/administer/acting.ts';
import { copyAccountsFile } from '../../accounts/sqlite/accounts-file.ts';
import { accountsFileIn, referenceSecretFileIn } from '../../data-dir/open-data-dir.ts';
import { makePrivateDir } from '../../data-dir/private-dir.ts';
import { userPath } from '../user-path.ts';
import { pathForm } from '../value-forms.ts';
import { type Command, known } from './command.ts';

/** The irreplaceable files. */
export const backupCommand: Command = {
  operand: '',
  options: { to: { type: 'string' } },
  read(given) {
    const to = given.required('to', { ...pathForm, instead: 'write a new directory for the copy' });
    return (_acting, dataDir) => {
      const target = userPath(known(to));
      if (existsSync(target) && readdirSync(target).length > 0) {
        throw new ActRefused(`${target} is not empty: write a new directory for each backup.`);
      }
      makePrivateDir(target);
      copyAccountsFile(accountsFileIn(dataDir), accountsFileIn(target));
      const secret = referenceSecretFileIn(dataDir);
      if (existsSync(secret)) {
        copyFileSync(secret, referenceSecretFileIn(target));
        chmodSync(referenceSecretFileIn(target), 0o600);
      }
      return {
        json: { backup: target },
        lines: [`The backup is in ${target}. It contains secrets: keep it as you keep a key.`],
      };
    };
  },
};
