// Types for the checker only; nothing of this is sent to a browser.
import type { Client } from "@connectrpc/connect";
import type { AdvisorService } from "../gen/pythia/v1/advisor_pb.js";
import type { EngineService } from "../gen/pythia/v1/engine_pb.js";
import type { MatchService } from "../gen/pythia/v1/match_pb.js";

export type Advisor = Client<typeof AdvisorService>;
export type Engine = Client<typeof EngineService>;
export type Matches = Client<typeof MatchService>;

export type { ApplyMoveResponse, MoveDescription, MovePart } from "../gen/pythia/v1/advisor_pb.js";
export type { BotInfo, Description, GameInfo, GetServerInfoResponse, OptionInfo } from "../gen/pythia/v1/engine_pb.js";
export type { CreateMatchResponse, Match, MatchEvent, WatchManyResponse } from "../gen/pythia/v1/match_pb.js";
export type { Move, Position } from "../gen/pythia/v1/position_pb.js";
export type {
  Analysis, BotSpec, LuckyEvent, MoveReport, ReviewedDecision, ReviewPart, Score, SeatReview,
} from "../gen/pythia/v1/search_pb.js";

// A signal of @preact/signals.
export interface Signal<T> { value: T; peek(): T; }

// What the browser remembers of a table.
export interface Seat {
  id: string;
  game: string;
  // Absent: a spectator.
  seat?: number;
  token?: string;
  // The token of the link that the seat was taken by.
  taken?: string;
  owner?: string;
  // Links for friends by seat, until they have taken them.
  links?: Record<number, string>;
  names: string[];
  at: number;
}

export interface Route { view: string; parts: string[]; }
