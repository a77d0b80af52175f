// node add-operators.ts FILE: adds the people whom standard input lists as JSON. It does for all of them what `npm run operator -- add`
// does for one, because starting a process for each costs more than the rest.
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { roleSchema } from '#lib/api/people/permission.ts';
import { changeOperatorsFile } from '#lib/server/session/operators-file.ts';
import { hashPassword } from '#lib/server/session/password-hash.ts';

// The file and its lock are for their owner alone.
process.umask(0o077);

const peopleSchema = z.array(z.strictObject({ name: z.string(), role: roleSchema, password: z.string() }));

const [file = ''] = process.argv.slice(2);
const people = peopleSchema.parse(await json(process.stdin));
const entries = await Promise.all(
  people.map(async ({ name, role, password }) => ({
    name,
    role,
    password: await hashPassword(password),
    passkeys: [],
  })),
);
changeOperatorsFile(file, (operators) => [...operators, ...entries]);
