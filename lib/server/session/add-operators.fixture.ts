// node add-operators.fixture.ts FILE PREFIX COUNT: adds so many operators, each by a change of its own.
import { changeOperatorsFile } from './operators-file.ts';

const [file = '', prefix = '', count = ''] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++) {
  changeOperatorsFile(file, (operators) => [...operators, { name: `${prefix}${index}`, role: 'viewer', passkeys: [] }]);
}
