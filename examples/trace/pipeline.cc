// SPDX-License-Identifier: Apache-2.0
// Two threads and a queue, in C++: c++ pipeline.cc $(spanloom flags c++) -pthread -o pipeline && spanloom run -- ./pipeline
#include <spanloom/trace.h>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

class Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<int> items;

public:
    void put(int item)
    {
        std::lock_guard<std::mutex> lock(mutex);
        items.push_back(item);
        SPANLOOM_COUNTER("queue", double(items.size()));
        filled.notify_one();
    }

    int take()
    {
        SPANLOOM_SPAN("wait");
        std::unique_lock<std::mutex> lock(mutex);
        filled.wait(lock, [this] { return !items.empty(); });
        int item = items.front();
        items.pop_front();
        return item;
    }
};

double work(int item)
{
    SPANLOOM_SPAN("work");
    sl_arg_int("item", item);
    SPANLOOM_FLOW_IN("item", item);
    if (item % 7 == 0)
        throw std::runtime_error("seven"); // the span ends here, as any
    double sum = 0;
    for (int i = 1; i < 200000; i++)
        sum += 1.0 / (double(i) * item);
    return sum;
}

} // namespace

int main()
{
    Queue queue;
    std::thread consumer([&] {
        sl_thread_name("consumer");
        for (int item; (item = queue.take()) != 0;) {
            try {
                work(item);
            } catch (const std::exception &) {
                SPANLOOM_INSTANT("refused");
            }
        }
    });

    sl_thread_name("producer");
    for (int item = 1; item <= 50; item++) {
        SPANLOOM_SPAN("make");
        SPANLOOM_FLOW_OUT("item", item);
        queue.put(item);
    }
    queue.put(0);
    consumer.join();
    std::puts("done");
}
