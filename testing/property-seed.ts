import fc from 'fast-check';

// CI must give the same result each time; new cases are found elsewhere.
if (process.env.CI !== undefined) fc.configureGlobal({ seed: 20_261_121 });
