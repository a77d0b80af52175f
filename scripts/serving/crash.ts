/**
 * Ends the process with one line in the log at an error that nothing has handled: what state it left is unknown, and a restart is clean. Without this, Next
 * would print it and go on.
 */
export function crashWithLine(log: { fatal(details: object, message: string): void }): void {
  const crash = (event: string) => (error: unknown) => {
    log.fatal({ err: error, event }, 'Lookout has crashed');
    process.exit(1);
  };
  process.prependListener('uncaughtException', crash('uncaughtException'));
  process.prependListener('unhandledRejection', crash('unhandledRejection'));
}
