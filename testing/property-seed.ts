import fc from 'fast-check';

// CI tests changes, and must give the same result each time; new cases are found everywhere else.
if (process.env.CI !== undefined) fc.configureGlobal({ seed: 20_261_121 });
