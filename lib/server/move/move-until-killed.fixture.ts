// Moves, and kills itself at the given step: node --conditions=react-server move-until-killed.fixture.ts FROM TO STEP
import { moveDatabase } from './move-database.ts';

const [from = '', to = '', last = ''] = process.argv.slice(2);
let steps = 0;
const { copied } = await moveDatabase(JSON.parse(from), JSON.parse(to), () => {
  steps++;
  if (steps === Number(last)) process.kill(process.pid, 'SIGKILL');
});
process.stdout.write(copied === undefined ? 'was moved' : `moved ${steps}`);
