/** Figures that the service gives to be read at each scrape, rather than counted from events. */
export interface Gauges {
  readonly openTurns: () => number;
  readonly openSpans: () => number;
  readonly journalBytes: () => number;
  readonly scoringBacklog: () => number;
  readonly logLagSeconds: () => number;
  readonly series: () => number;
  readonly labelSets: () => number;
  readonly labelSetsMax: number;
  readonly criterionWeights: () => readonly CriterionFigure<'weight'>[];
  /** Only criteria that were decided at all. */
  readonly criterionVariation: () => readonly CriterionFigure<'ratio'>[];
  /** Only pairs of criteria that agree or disagree nearly always. */
  readonly criterionLikeness: () => readonly (CriterionFigure<'phi'> & { readonly other: string })[];
  readonly version: string;
  /** Routes on which something can be written. */
  readonly writeRoutes: readonly string[];
  /** Absent on one machine. */
  readonly cluster?: ClusterGauges;
}

export interface ClusterGauges {
  readonly lanes: () => number;
  readonly lags: () => readonly {
    readonly topic: string;
    readonly partition: number;
    readonly records: number;
    readonly seconds: number;
  }[];
  /** Undefined until the store has one. */
  readonly clusterTime: () => number | undefined;
  readonly spoolBytes: () => number;
  readonly turnsToFile: () => number;
}

type CriterionFigure<Figure extends string> = { readonly suite: string; readonly criterion: string } & {
  readonly [F in Figure]: number;
};
