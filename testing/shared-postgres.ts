import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { PostgresTarget } from '#lib/server/database/postgres-target.ts';
import { clusterIn, newDatabaseName, type SharedCluster } from './postgres-cluster.ts';

export interface SharedPostgresPlace {
  readonly port: number;
}

export type SharedPostgresAnswer = { readonly folder: string } | { readonly error: string };

declare module 'vitest' {
  interface ProvidedContext {
    readonly sharedPostgres: SharedPostgresPlace;
  }
}

/** A database with the tables of this build, and no rows. */
export const TEMPLATE = 'migrated';

export interface SharedPostgres extends SharedCluster {
  /** A copy of the template. */
  migratedTarget(): PostgresTarget;
}

let shared: Promise<SharedPostgres> | undefined;

/** The one PostgreSQL of all workers. */
export function sharedPostgres(programs: string, place: SharedPostgresPlace): Promise<SharedPostgres> {
  shared ??= reach(programs, place);
  return shared;
}

async function reach(programs: string, { port }: SharedPostgresPlace): Promise<SharedPostgres> {
  const socket = connect(port, '127.0.0.1');
  socket.end(programs);
  const answer: SharedPostgresAnswer = JSON.parse(await text(socket));
  if ('error' in answer) throw new Error(answer.error);
  const cluster = clusterIn(programs, answer.folder);
  return {
    ...cluster,
    migratedTarget() {
      const name = newDatabaseName(TEMPLATE);
      cluster.sql(`create database ${name} template ${TEMPLATE} strategy file_copy`);
      return cluster.target(name);
    },
  };
}
