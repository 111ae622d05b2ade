#!/usr/bin/env node
/** The process of the command line. */
import { setGarbageFlags } from '../model/garbage-collection.ts';
import { runCommandLine } from './command-line.ts';
import { EXIT } from './exit-codes.ts';

setGarbageFlags();

// `assay score … | head` closes the pipe early; that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.ok);
});

process.exitCode = await runCommandLine();
