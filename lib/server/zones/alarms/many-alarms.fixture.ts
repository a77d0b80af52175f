import type { Database } from '../../database/database.ts';

const ROWS_A_STATEMENT = 500;

/** Copies of the first alarm, with ids, references and times of their own: one a second. */
export async function copyFirstAlarm(database: Database, count: number): Promise<void> {
  const row = await database.query.selectFrom('alarm').selectAll().orderBy('change').executeTakeFirstOrThrow();
  for (let from = 1; from <= count; from += ROWS_A_STATEMENT) {
    const copies = Array.from({ length: Math.min(ROWS_A_STATEMENT, count - from + 1) }, (_, at) => {
      const number = from + at;
      const id = `${row.id.slice(0, 24)}${number.toString(16).padStart(12, '0')}`;
      return {
        ...row,
        id,
        key: `${row.key} ${number}`,
        ref: `${row.ref} ${number}`,
        change: row.change + number,
        opened_ms: row.opened_ms + number * 1000,
        decided_ms: row.decided_ms + number * 1000,
      };
    });
    await database.change((query) => query.insertInto('alarm').values(copies).execute());
  }
  await database.query
    .updateTable('alarm_change')
    .set({ number: row.change + count })
    .execute();
}
