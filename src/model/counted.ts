/** Counts with their nouns, as every message writes them: "1 case", "2 cases", "1 criterion", "0 criteria". */
export function counted(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
