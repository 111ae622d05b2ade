/**
 * Runs after an install (npm's `prepare`): builds `dist/`, so that `assay/instrument` and `assay/suite` can be imported from
 * a clone. An install without development dependencies has no compiler and needs no build. Plain JavaScript, because it
 * may run on the machine's own Node.
 */
const { execSync } = require('node:child_process');
const { existsSync } = require('node:fs');

if (existsSync('node_modules/typescript')) execSync('npm run --silent build', { stdio: 'inherit' });
