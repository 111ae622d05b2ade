/** Help in two levels: `--help` lists the commands of daily work, and `assay more` the others. */
import { type Command, Help } from 'commander';
import { COMMANDS, GROUPS } from './commands.ts';
import { EXIT_HELP } from './exit-codes.ts';

const MORE = `
All other commands: assay more. One of them in full: assay help <command>.
${EXIT_HELP}`;

export function addHelpLevels(program: Command): void {
  let level: (typeof GROUPS)[keyof typeof GROUPS] = 'help';
  program
    .configureHelp({
      formatHelp: (of, helper) => {
        if (of === program) {
          // Only in the text: a misspelled name is compared with all commands.
          helper.visibleCommands = () => shownAt(level, program);
          helper.groupItems = (_all, shown, groupOf) => Map.groupBy(shown, groupOf);
          if (level === 'more') Object.assign(helper, { visibleOptions: () => [], commandDescription: () => '' });
        }
        return Help.prototype.formatHelp.call(helper, of, helper);
      },
    })
    .addHelpText('after', () => (level === 'help' ? MORE : ''));
  program
    .command('more')
    .description('list the commands that --help leaves out')
    .action(() => {
      level = 'more';
      program.outputHelp();
    });
}

function shownAt(level: string, program: Command): Command[] {
  return Object.entries(COMMANDS).flatMap(([name, [group]]) => {
    const command = program.commands.find((one) => one.name() === name);
    return command === undefined || GROUPS[group] !== level ? [] : [command.helpGroup(`${group}:`)];
  });
}
