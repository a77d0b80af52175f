import type { QueryId } from 'kysely';
import { type KyselyPlugin, PostgresQueryCompiler, type RootOperationNode } from 'kysely';
import { DatabaseError } from 'pg';
import { Database } from '#lib/server/database/database.ts';
import { postgresClient } from '#lib/server/database/postgres.ts';
import type { PostgresTarget } from '#lib/server/database/postgres-target.ts';

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const OF_ROWS = /^\s*(?:select|insert|update|delete|with)\b/i;
const OF_SQLITE = /\b(?:sqlite_|pragma_)/;
/** The row is not there that a key names, or is there already; or a test has renamed the table. */
const OF_CONTENT = /^(?:23|42P01)/;

/** The distinct statements that tests execute in SQLite, in the words for PostgreSQL. */
export class PostgresStatements {
  readonly #statements = new Map<string, Statement>();
  readonly #compiler = new PostgresQueryCompiler();

  /** Of this connection, from now on. */
  record(database: Database): void {
    const plugin: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        this.#add(node, queryId);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const recorded = database.query.withPlugin(plugin);
    const plain = () => Object.getOwnPropertyDescriptor(Database.prototype, 'query')?.get?.call(database);
    // The own getter refuses statements within a change.
    Object.defineProperty(database, 'query', { get: () => plain() && recorded });
  }

  #add(node: RootOperationNode, queryId: QueryId): void {
    const { sql, parameters } = this.#compiler.compileQuery(node, queryId);
    if (OF_ROWS.test(sql) && !OF_SQLITE.test(sql) && !this.#statements.has(sql))
      this.#statements.set(sql, { sql, parameters });
  }

  /**
   * Executes each in a database that has the tables, and keeps no row.
   * @returns what PostgreSQL says of those that it does not accept
   */
  async refused(target: PostgresTarget): Promise<readonly string[]> {
    const client = postgresClient(target, 0);
    const refused: string[] = [];
    await client.connect();
    await client.query('begin');
    for (const { sql, parameters } of this.#statements.values()) {
      await client.query('savepoint before_statement');
      try {
        await client.query(sql, [...parameters]);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        if (!OF_CONTENT.test(error.code ?? '')) refused.push(`${error.message}: ${sql}`);
      }
      await client.query('rollback to savepoint before_statement');
    }
    await client.query('rollback');
    await client.end();
    return refused;
  }
}
