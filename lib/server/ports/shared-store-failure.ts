import 'server-only';

/** A store that several servers share did not do what was asked, or it is not known whether it did. Any other error is a mistake of ours. */
export class SharedStoreFailure extends Error {}
