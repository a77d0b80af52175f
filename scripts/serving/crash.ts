/** Next would print an unhandled error and continue in an unknown state. A restart is clean. */
export function crashWithLine(log: { fatal(details: object, message: string): void }): void {
  const crash = (event: string) => (error: unknown) => {
    log.fatal({ err: error, event }, 'Lookout has crashed');
    process.exit(1);
  };
  process.prependListener('uncaughtException', crash('uncaughtException'));
  process.prependListener('unhandledRejection', crash('unhandledRejection'));
}
