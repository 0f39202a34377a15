// SPDX-License-Identifier: Apache-2.0
// All views; one that is not named here is not there.
import "./findings";
import "./plan";
import "./makespan";
import "./states";
import "./sequence";
import "./apps";
import "./failures";
import "./workers";
import "./tasks";
import "./nodes";
import "./profile";
import "../timeline/section";
